"""Commands under faults: success or one clear line, and a second run ends like an undisturbed one.

``make faults RUNS=100`` searches for longer, with other seeds; with GEAR_FAULT_WHOLE every fault is tested with every
command that it can affect.
"""

import os
import random
import re

import pytest

from tests.faults.commands import COMMANDS
from tests.faults.documented import cell
from tests.faults.faults import AT_RANDOM, EVERYWHERE, KILLED, WITH_MODEL
from tests.waiting import settle

RUNS = int(os.environ.get("GEAR_FAULT_RUNS") or 4)
SEED = int(os.environ.get("GEAR_FAULT_SEED") or 1)
IN_A_ROW = 3
WHOLE = "GEAR_FAULT_WHOLE" in os.environ
CELLS = [
    pytest.param(command, fault, id=f"{command.name}-{name}")
    for command in COMMANDS.values()
    for name, fault in {**EVERYWHERE, **(WITH_MODEL if command.model else {})}.items()
    if WHOLE or fault.only is None or command.name in fault.only
]
# Starting the server takes seconds, so random kills are only in longer searches.
AS_WELL = ("server-killed",) if "GEAR_FAULT_RUNS" in os.environ else ()


def is_clear(ended):
    """Whether a failed command says so in one line, and not as a bug."""
    return 1 == len(ended.lines) and "Traceback" not in ended.err and "a bug" not in ended.err


def check(world, command, *, in_flight, connections):
    """Run the command again: the graph and the result of an undisturbed run, nothing paid twice, nothing left open."""
    expected = world.undisturbed(command)
    world.calm()

    again = world.start(command).end()

    assert again.code in command.done, again
    assert expected["state"] == world.state()
    if again.code == 0:
        assert expected["result"] == world.result(command, again)
    assert set(expected["paid"]) == set(world.paid)
    assert sum(world.paid.values()) - len(world.paid) <= in_flight
    assert settle(lambda: world.proxy.open == 0)
    assert settle(lambda: world.connections() <= connections)


@pytest.mark.parametrize(("command", "fault"), CELLS)
def test_a_fault_is_one_line_or_nothing_and_the_command_can_be_run_again(world, command, fault):
    """A cell of the table in docs/operations.md, which has the exit code."""
    world.undisturbed(command)
    world.reset(command)
    connections = world.connections()

    ended = fault.run(world, command, 0.5)

    assert ended.code in fault.codes, ended
    assert ended.code in (0, KILLED) or is_clear(ended), ended
    assert ended.code in (0, KILLED) or re.search(rf"\b{ended.code}\b", cell(fault.row, command.name)), ended
    check(world, command, in_flight=fault.in_flight, connections=connections)


@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
def test_faults_at_random_moments_leave_nothing_that_one_more_run_does_not_mend(world, seed):
    """The seed is in the test's name, and determines the command, the faults and their times."""
    chance = random.Random(seed)
    command = chance.choice(list(COMMANDS.values()))
    world.undisturbed(command)
    world.reset(command)
    in_flight, connections = 0, world.connections()

    for _ in range(chance.randint(1, IN_A_ROW)):
        name = chance.choice((*AT_RANDOM, *AS_WELL))
        ended = EVERYWHERE[name].run(world, command, chance.random())
        in_flight += EVERYWHERE[name].in_flight
        world.calm()
        assert "a bug" not in ended.err, (name, ended)

    check(world, command, in_flight=in_flight, connections=connections)
