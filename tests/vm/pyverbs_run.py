#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Run rdma-core's own tests as its run_tests.py does, and say what came of each in
a file: "pass|fail|error|skip TAB TEST TAB REASON", a line each.

The tests of rdma_cm look for a device's address through sysfs' link to the
device's parent. A device that is software has none and would be skipped, rxe
like any other; here its netdev is found through its GID instead.

Usage: pyverbs_run.py TESTS-DIR RESULTS --dev DEV --gid INDEX [TEST...]
"""
import importlib.util
import os
import random
import sys
import time
import unittest


def load_tests(path):
    """Import a directory as the package "tests", as run_tests.py does."""
    spec = importlib.util.spec_from_file_location(
        'tests', os.path.join(path, '__init__.py'),
        submodule_search_locations=[path])
    module = importlib.util.module_from_spec(spec)
    sys.modules['tests'] = module
    spec.loader.exec_module(module)
    return module


def netdev_of(dev, port, gid):
    with open(f'/sys/class/infiniband/{dev}/ports/{port}/gid_attrs/ndevs/{gid}',
              encoding='ascii') as file:
        return file.read().strip()


class Result(unittest.TestResult):
    def __init__(self, out):
        super().__init__()
        self.out = out
        self.began = 0.0

    def say(self, what, test, reason=''):
        reason = ' '.join(str(reason).split())
        self.out.write(f'{what}\t{test.id()}\t{reason}\n')
        self.out.flush()

    def startTest(self, test):
        super().startTest(test)
        # The same draws for every device.
        random.seed(os.environ.get('PYVERBS_SEED', '0') + test.id())
        self.began = time.monotonic()
        # So that whatever the kernel says stands behind its cause.
        print(f'{test.id()} ...', flush=True)

    def stopTest(self, test):
        super().stopTest(test)
        print(f'\t{time.monotonic() - self.began:.3f} s', flush=True)

    def addSuccess(self, test):
        self.say('pass', test)

    def failed(self, what, test, err):
        text = self._exc_info_to_string(err, test)
        print(text, flush=True)
        self.say(what, test, text.strip().splitlines()[-1])

    def addFailure(self, test, err):
        self.failed('fail', test, err)

    def addError(self, test, err):
        self.failed('error', test, err)

    def addSkip(self, test, reason):
        self.say('skip', test, reason)

    # A subtest that passes says nothing; one that does not fails its test.
    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.failed('fail', test, err)

    def addExpectedFailure(self, test, err):
        self.say('pass', test)

    def addUnexpectedSuccess(self, test):
        self.say('fail', test, 'success was not expected')


def main():
    path, results = sys.argv[1:3]
    del sys.argv[1:3]
    sys.path.insert(0, path)
    from args_parser import parser
    parser.parse_args()
    names = sys.argv[1:]
    tests = load_tests(path)

    from tests.base import RDMATestCase

    def get_ip_mac(self, dev, port, idx):
        try:
            netdev = netdev_of(dev, port, idx)
            self.args.append([dev, port, idx,
                              *self.get_ip_mac_address(netdev)])
        except (OSError, KeyError, IndexError):
            self.args.append([dev, port, idx, None, None])
    RDMATestCase._get_ip_mac = get_ip_mac

    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names, tests) if names else \
        loader.loadTestsFromModule(tests)
    with open(results, 'w', encoding='utf-8') as out:
        suite.run(Result(out))


main()
