// name: usage_of(subject, day, month)
// access: read
// columns: is_day, requests, tokens
// timeout: 10
// What a subject has used in a day and a month, one row each; no row for one in which it used nothing.
MATCH (used:__GearStore)
USING INDEX SEEK used:__GearStore(id)
WHERE used.id IN ['usage/' + $day + '/' + $subject, 'usage/' + $month + '/' + $subject]
RETURN used.id STARTS WITH 'usage/' + $day AS is_day, used.requests AS requests, used.tokens AS tokens
