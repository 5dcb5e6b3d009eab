"""Ranges of games on several threads."""

import os
import threading
import time

import pytest

from kuku_env.core.parallel import MIN_RANGE, run_ranges


def test_results_come_in_order_whichever_range_ends_first():
    def call(start, stop):
        time.sleep(0.02 if start == 0 else 0)
        return start, stop

    found = run_ranges(call, 4 * MIN_RANGE, 4)
    assert found == [(k * MIN_RANGE, (k + 1) * MIN_RANGE) for k in range(4)]


def test_few_games_are_not_worth_a_second_thread():
    assert run_ranges(lambda *ends: ends, 2 * MIN_RANGE - 1, 8) == [(0, 2 * MIN_RANGE - 1)]


def test_an_error_is_raised_after_all_ranges_have_ended():
    ended = []

    def call(start, stop):
        if start == 0:
            raise KeyError("the first range")
        time.sleep(0.05)
        ended.append(start)

    with pytest.raises(KeyError, match="the first range"):
        run_ranges(call, 3 * MIN_RANGE, 3)
    assert len(ended) == 2
    assert run_ranges(lambda start, stop: stop - start, 3 * MIN_RANGE, 3) == [MIN_RANGE] * 3


def test_several_threads_may_ask_at_once():
    wrong = []

    def ask(number):
        for _ in range(50):
            found = run_ranges(lambda start, stop: (number, start), 3 * MIN_RANGE, 3)
            if found != [(number, k * MIN_RANGE) for k in range(3)]:
                wrong.append(found)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    run_ranges(lambda *ends: ends, 2 * MIN_RANGE, 2)
    child = os.fork()
    if child == 0:
        found = run_ranges(lambda start, stop: stop - start, 2 * MIN_RANGE, 2)
        os._exit(0 if found == [MIN_RANGE] * 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
