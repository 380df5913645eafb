// name: usage(day, month)
// access: read
// columns: name, requests_today, tokens_today, requests_this_month, tokens_this_month
// timeout: 30
// What each subject has used in a month and in a day of it, most tokens first.
MATCH (thisMonth:__GearStore)
USING INDEX SEEK thisMonth:__GearStore(id)
WHERE thisMonth.id STARTS WITH 'usage/' + $month + '/'
WITH thisMonth, substring(thisMonth.id, size('usage/' + $month + '/')) AS subject
OPTIONAL MATCH (today:__GearStore {id: 'usage/' + $day + '/' + subject})
USING INDEX SEEK today:__GearStore(id)
RETURN thisMonth.name AS name, coalesce(today.requests, 0) AS requests_today, coalesce(today.tokens, 0) AS tokens_today,
  thisMonth.requests AS requests_this_month, thisMonth.tokens AS tokens_this_month
ORDER BY tokens_this_month DESC, requests_this_month DESC, name
