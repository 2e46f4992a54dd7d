// The whole of libraries that only have to be there.
