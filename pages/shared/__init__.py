"""What every page uses: the frame around it, its cached answers, and the parts it shows."""
