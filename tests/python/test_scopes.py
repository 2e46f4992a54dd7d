"""Blocks that choose a queue or a resource hold where they are, whatever order they end in."""

import asyncio
import contextvars
import itertools
import threading
from typing import ClassVar

import pytest
import usmx
from usmx import memory


class QueueBlocks:
    """using_queue: what a new array says of the block that it was made in."""

    @staticmethod
    def choice():
        return usmx.SyclQueue()

    @staticmethod
    def block(choice):
        return usmx.using_queue(choice)

    @staticmethod
    def found():
        queue = usmx.empty(3).sycl_queue
        assert queue == usmx.default_queue()
        return queue


class KindBlocks:
    """using_usm_type: what a new array says of the block that it was made in."""

    kinds = itertools.cycle(["shared", "host"])

    @classmethod
    def choice(cls):
        return next(cls.kinds)

    @staticmethod
    def block(choice):
        return usmx.using_usm_type(choice)

    @staticmethod
    def found():
        kind = usmx.empty(3).usm_type
        assert kind == usmx.default_usm_type()
        return kind


class ResourceBlocks:
    """using_memory_resource: what new memory was counted by."""

    made: ClassVar = []

    @classmethod
    def choice(cls):
        cls.made.append(memory.StatisticsResource(memory.PlainResource("shared")))
        return cls.made[-1]

    @staticmethod
    def block(choice):
        return memory.using_memory_resource(choice)

    @classmethod
    def found(cls):
        """One thread at a time asks: the tests let none run beside another."""
        resource = memory.get_memory_resource("shared")
        array = usmx.empty(8, usm_type="shared")
        counting = [each for each in cls.made if each.counts()["blocks.current"] > 0]
        assert counting == ([resource] if resource in cls.made else [])
        del array
        return resource


class PrintOptionBlocks:
    """print_options: how a number is written."""

    numbers = itertools.count(20)

    @classmethod
    def choice(cls):
        return next(cls.numbers)

    @staticmethod
    def block(choice):
        return usmx.print_options(precision=choice)

    @staticmethod
    def found():
        return usmx.get_print_options()["precision"]


@pytest.fixture(params=[QueueBlocks, KindBlocks, ResourceBlocks, PrintOptionBlocks])
def blocks(request):
    before = request.param.found()
    yield request.param
    assert request.param.found() == before
    ResourceBlocks.made.clear()


def test_tasks_whose_blocks_end_out_of_order_have_their_own(blocks):
    first, second = blocks.choice(), blocks.choice()
    default = blocks.found()

    async def task(choice, begin, begun, end):
        await begin.wait()
        assert blocks.found() == default
        with blocks.block(choice):
            begun.set()
            assert blocks.found() == choice
            await end.wait()
            assert blocks.found() == choice
        assert blocks.found() == default

    async def both():
        now, first_begun, second_begun, first_ended = (asyncio.Event() for _ in range(4))
        now.set()
        one = asyncio.create_task(task(first, now, first_begun, second_begun))
        two = asyncio.create_task(task(second, first_begun, second_begun, first_ended))
        await one
        first_ended.set()
        await two
        assert blocks.found() == default

    asyncio.run(both())


def generator(blocks, choice):
    with blocks.block(choice):
        yield


def begun(blocks, choice):
    made = generator(blocks, choice)
    next(made)
    return made


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_generators_may_end_in_any_order(blocks, order):
    default = blocks.found()
    choices = [blocks.choice() for _ in range(3)]
    open_ones = dict(enumerate(begun(blocks, choice) for choice in choices))
    for number in order:
        assert blocks.found() == choices[max(open_ones)]
        open_ones.pop(number).close()
    assert blocks.found() == default


def test_generator_may_end_in_another_thread(blocks):
    default = blocks.found()
    choice = blocks.choice()
    made = begun(blocks, choice)
    thread = threading.Thread(target=made.close)
    thread.start()
    thread.join()
    assert blocks.found() == default


def test_generator_may_end_in_a_task_that_copied_the_context(blocks):
    default = blocks.found()
    made = begun(blocks, blocks.choice())
    contextvars.copy_context().run(made.close)
    assert blocks.found() == default


def test_generator_that_a_task_began_may_end_outside_of_it(blocks):
    default = blocks.found()
    choice = blocks.choice()
    context = contextvars.copy_context()
    made = context.run(begun, blocks, choice)
    assert context.run(blocks.found) == choice
    assert blocks.found() == default
    made.close()
    assert context.run(blocks.found) == default


def test_threads_whose_blocks_end_out_of_order_have_their_own(blocks):
    default = blocks.found()
    choices = [blocks.choice(), blocks.choice()]
    first_begun, second_begun, first_ended = (threading.Event() for _ in range(3))
    found = {}

    def run(number, begin, begun, end, ended):
        assert begin.wait(60)
        before = blocks.found()
        with blocks.block(choices[number]):
            begun.set()
            assert end.wait(60)
            inside = blocks.found()
        found[number] = (before, inside, blocks.found())
        ended.set()

    begin = threading.Event()
    begin.set()
    threads = [
        threading.Thread(target=run, args=(0, begin, first_begun, second_begun, first_ended)),
        threading.Thread(
            target=run, args=(1, first_begun, second_begun, first_ended, threading.Event())
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: (default, choices[k], default) for k in range(2)}


def test_new_thread_starts_without_the_blocks_of_others(blocks):
    default = blocks.found()
    found = []
    with blocks.block(blocks.choice()):
        thread = threading.Thread(
            target=contextvars.Context().run, args=(lambda: found.append(blocks.found()),)
        )
        thread.start()
        thread.join()
    assert found == [default]


def test_copied_context_brings_its_blocks_to_another_thread(blocks):
    choice = blocks.choice()

    async def elsewhere():
        with blocks.block(choice):
            return await asyncio.to_thread(blocks.found)

    assert asyncio.run(elsewhere()) == choice


def test_task_begun_in_a_block_keeps_it_as_it_keeps_print_options(blocks):
    default, choice = blocks.found(), blocks.choice()
    found = []

    async def child(ended):
        await ended.wait()
        found.append((blocks.found(), usmx.get_print_options()["linewidth"]))

    async def parent():
        ended = asyncio.Event()
        with blocks.block(choice), usmx.print_options(linewidth=33):
            task = asyncio.create_task(child(ended))
        assert blocks.found() == default
        ended.set()
        await task

    asyncio.run(parent())
    assert found == [(choice, 33)]


def test_set_functions_hold_for_the_process_outside_of_blocks():
    mine, everyones = usmx.SyclQueue(), usmx.SyclQueue()
    found = []
    with usmx.using_queue(mine):
        before = usmx.set_default_queue(everyones)
        try:
            thread = threading.Thread(
                target=contextvars.Context().run,
                args=(lambda: found.append(usmx.default_queue()),),
            )
            thread.start()
            thread.join()
            assert usmx.default_queue() == mine
        finally:
            usmx.set_default_queue(before)
    assert found == [everyones]


def test_memory_made_without_the_lock_comes_from_the_blocks_resource():
    """A large block needs a wait or a call of the runtime, for which the lock is released."""
    counting = memory.StatisticsResource(memory.PlainResource("shared"))
    with memory.using_memory_resource(counting):
        array = usmx.zeros(1 << 20, dtype="u1", usm_type="shared")
        assert counting.counts()["bytes.current"] >= 1 << 20
    usmx.zeros(1 << 20, dtype="u1", usm_type="shared")
    assert counting.counts()["blocks.total"] == 1
    del array
    assert counting.counts()["blocks.current"] == 0


def test_blocks_resource_is_for_its_device_and_kind_alone():
    counting = memory.StatisticsResource(memory.PlainResource("shared"))
    device = usmx.SyclDevice()
    other = usmx.SyclQueue(usmx.SyclContext([device]), device)
    with memory.using_memory_resource(counting):
        usmx.zeros(8, usm_type="host")
        usmx.zeros(8, usm_type="shared", sycl_queue=other)
        assert counting.counts()["blocks.total"] == 0
        usmx.zeros(8, usm_type="shared", sycl_queue=usmx.SyclQueue())
        assert counting.counts()["blocks.total"] == 1


def test_inner_blocks_end_to_the_outer_one(blocks):
    outer, inner = blocks.choice(), blocks.choice()
    with blocks.block(outer):
        with pytest.raises(KeyError), blocks.block(inner):
            raise KeyError
        assert blocks.found() == outer
