"""What app.py serves besides the pages: the document they run in, uploads, sockets, an address that is none."""
