"""A lock that is handed on."""

from threading import Event, Thread

from ragmon.app.turn import Turn


def test_who_waits_is_served_before_who_had_it() -> None:
    """However fast that one takes it again."""
    turn, served = Turn(), Event()

    def wait() -> None:
        with turn:
            served.set()

    turn.acquire()
    waiting = Thread(target=wait)
    waiting.start()
    while not turn.wanted:
        pass
    turn.release()
    turn.acquire()
    assert served.is_set()
    turn.release()
    waiting.join()
    assert not turn.wanted


def test_it_is_waited_for_no_longer_than_said() -> None:
    """And then it is nobody's turn but the holder's."""
    turn = Turn()
    assert turn.acquire()
    assert not turn.acquire(0.01)
    assert not turn.wanted
    turn.release()
    assert turn.acquire(0.01)
