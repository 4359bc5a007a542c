"""Calls of code that is not ours: with a time limit, and without its messages."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import TypeVar

__all__ = ["cpu_limit", "describe", "quiet", "run_limited"]

T = TypeVar("T")


def run_limited(function: Callable[[], T], seconds: float) -> T | str:
    """Return the value of ``function``, called in a forked copy of this process, or why there is none.

    The copy has everything that was imported and compiled before, and is ended after so many ``seconds`` of
    CPU time, or after four times as many on the clock.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, function, seconds), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    answer: T | str = f"over {seconds:.3g} s"
    try:
        if receiver.poll(4.0 * seconds):
            answer = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode != -signal.SIGPROF:
            answer = "crashed"
    process.kill()
    process.join()
    return answer


def _answer(sender: Connection, function: Callable[[], T], seconds: float) -> None:
    # The signal ends the process, also in compiled code.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        sender.send(function())
    except Exception as error:
        sender.send(describe(error))


def cpu_limit(seconds: float) -> Callable[[object], bool]:
    """Return a callback that ends a fit of ours after so many CPU seconds from now, as those of peers are."""
    end = time.process_time() + seconds
    return lambda progress: time.process_time() > end


def describe(error: Exception) -> str:
    """Return the kind of an error and the start of its message."""
    return f"{type(error).__name__}: {str(error)[:60]}"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings, and all that compiled code prints meanwhile."""
    kept = [(stream, os.dup(stream)) for stream in (1, 2)]
    silence = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream, _ in kept:
            os.dup2(silence, stream)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for stream, copy in kept:
            os.dup2(copy, stream)
            os.close(copy)
        os.close(silence)
