"""Mathematics: functions of the array API, operators, reductions and algorithms, from one table."""
