"""`rowmill.map`: rows in, a table out."""
