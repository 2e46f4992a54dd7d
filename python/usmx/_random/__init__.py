"""What `usmx.random` is made of."""
