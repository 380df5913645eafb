// name: count_usage(subject, name, day, month, requests, tokens, limits)
// access: write
// columns: counted, requests_today, tokens_today, requests_this_month, tokens_this_month
// timeout: 10
// Adds tokens to what a subject has used in a day and a month, and then requests, unless a limit is reached: $limits is a
// map of requests_per_day and so on, where null is no limit. counted is whether the requests were added. There is no row
// in a database without our data.
MATCH (:__GearStore {id: 'store'})
MERGE (today:__GearStore {id: 'usage/' + $day + '/' + $subject})
ON CREATE SET today.requests = 0, today.tokens = 0
MERGE (thisMonth:__GearStore {id: 'usage/' + $month + '/' + $subject})
ON CREATE SET thisMonth.requests = 0, thisMonth.tokens = 0
// This takes the locks of both nodes, so that no other transaction counts between the check and the count.
SET today.name = $name, thisMonth.name = $name
WITH today, thisMonth
SET today.tokens = today.tokens + $tokens, thisMonth.tokens = thisMonth.tokens + $tokens
WITH today, thisMonth,
  coalesce(today.requests < $limits.requests_per_day, true) AND coalesce(today.tokens < $limits.tokens_per_day, true)
  AND coalesce(thisMonth.requests < $limits.requests_per_month, true)
  AND coalesce(thisMonth.tokens < $limits.tokens_per_month, true) AS counted
FOREACH (_ IN CASE WHEN counted THEN [1] ELSE [] END |
  SET today.requests = today.requests + $requests, thisMonth.requests = thisMonth.requests + $requests
)
RETURN counted, today.requests AS requests_today, today.tokens AS tokens_today,
  thisMonth.requests AS requests_this_month, thisMonth.tokens AS tokens_this_month
