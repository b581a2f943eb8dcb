"""What figures and tables are made with."""
