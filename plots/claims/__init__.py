"""What may be claimed: the gate's conditions, and the paper's claims."""
