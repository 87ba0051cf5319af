"""A static page on which rankers answer in the browser."""
