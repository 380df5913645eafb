"""What a language model is asked to do: for each role a prompt, a parser of its replies, and the protocol it plays."""
