"""Principal components of rows that lie in blocks, on Dask and on MPI from one source.

`analysis` says what is computed; it knows no engine. `one_process`, `on_mpi` and `on_dask` say
where. ``python -m usmx_distributed_pca`` is the command.
"""
