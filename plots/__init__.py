"""Result files to figures, tables and a page: see README.md."""
