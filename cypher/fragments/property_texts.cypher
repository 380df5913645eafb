// fragment: property_texts(n, wanted, items, longest)
// The wanted properties that a node has, each as [property, value]: texts cut to a maximum length, lists to their first
// items.
[key IN wanted WHERE n[key] IS NOT NULL | [key, CASE
  WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], longest)
  WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..items] | left(toStringOrNull(part), longest)]
  ELSE toStringOrNull(n[key])
END]]
