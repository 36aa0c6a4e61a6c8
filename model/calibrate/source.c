// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Constants as a C source, for those that are shipped. */
#include "model/calibrate/fit.h"
#include "model/calibrate/profile.h"

static void print_scores(const struct suo_cal_data *data,
			 const struct suo_nccl_constants *k, FILE *out)
{
	for (size_t c = 0; c < data->nclusters; c++) {
		struct suo_cal_score s;

		suo_cal_score(data, c, k, &s);
		fprintf(out, " *	%-20s %4zu rows, %5.2f %% off, %5.1f %% at worst\n",
			data->cluster[c], s.rows, s.mean_pct, s.worst_pct);
	}
}

void suo_cal_print_source(const struct suo_cal_data *data,
			  const struct suo_nccl_constants *k, FILE *out)
{
	fputs("// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
	      "/*\n"
	      " * Constants fitted to all tables of tests/data/nccl; where each comes from\n"
	      " * stands there. Made by: suo calibrate --source FILE TABLE.csv...\n"
	      " * Fitted to, and off by after the fit:\n"
	      " *\n", out);
	print_scores(data, k, out);
	fputs(" */\n"
	      "#include \"model/analytic/nccl.h\"\n\n"
	      "const struct suo_nccl_constants suo_nccl_fitted = {\n"
	      "\t.gen = {\n", out);
	for (unsigned int g = 0; g < SUO_NCCL_GENS; g++) {
		fprintf(out, "\t\t{ /* %s */\n", suo_nccl_gen_name(g));
		for (unsigned int c = 0; c < SUO_NCCL_GEN_CONSTANTS; c++)
			fprintf(out, "\t\t\t%.5g,\t/* %s */\n", k->gen[g][c],
				suo_nccl_gen_constant_name(c));
		fputs("\t\t},\n", out);
	}
	fputs("\t},\n\t.net = {\n", out);
	for (unsigned int t = 0; t < SUO_NCCL_TRANSPORTS; t++) {
		fprintf(out, "\t\t{ /* %s */\n", suo_nccl_transport_name(t));
		for (unsigned int c = 0; c < SUO_NCCL_NET_CONSTANTS; c++)
			fprintf(out, "\t\t\t%.5g,\t/* %s */\n", k->net[t][c],
				suo_nccl_net_constant_name(c));
		fputs("\t\t},\n", out);
	}
	fprintf(out, "\t},\n\t.log_p10 = %.4f,\n\t.log_p90 = %.4f,\n};\n",
		k->log_p10, k->log_p90);
}
