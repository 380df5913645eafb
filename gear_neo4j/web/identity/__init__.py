"""People who sign in with the organisation's own provider (OpenID Connect), and what each of them may do.

``provider`` talks to it, ``tokens`` checks what it has signed, ``rights`` maps claims and groups to principals and
collections, ``sessions`` holds the sign-ins of the page, and ``people`` brings them together for the service.
"""
