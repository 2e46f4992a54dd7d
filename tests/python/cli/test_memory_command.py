"""``python -m usmx memory``."""

from helpers import run_usmx as run


def test_memory_of_each_device_and_the_pools_are_told():
    result = run("memory")
    assert result.returncode == 0, result.stderr
    assert " are free\n" in result.stdout
    assert "comes from pools" in result.stdout
    assert "There is no limit" in result.stdout


def test_settings_of_the_environment_are_told():
    result = run("memory", USMX_POOL="off", USMX_POOL_LIMIT="2G")
    assert "USMX_POOL is off" in result.stdout
    assert "at most 2 GiB" in result.stdout
