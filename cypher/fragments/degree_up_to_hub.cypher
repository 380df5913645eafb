// fragment: degree_up_to_hub(e)
// The number of triples at a node, if it only matters whether that is above $hub: a node with few relationships is not
// a hub, whatever these are. For other nodes, see degree; their triples are only counted up to $hub.
CASE
  WHEN COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } <= $hub
    OR COUNT { MATCH ()-[:SUBJECT]->() } = COUNT { MATCH (:Triple)-[:SUBJECT]->() }
    AND COUNT { MATCH ()-[:OBJECT]->() } = COUNT { MATCH (:Triple)-[:OBJECT]->() }
    /*+ AND COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } > $scope.most */
  THEN COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }
  ELSE size(COLLECT {
    MATCH (e)<-[:SUBJECT|OBJECT]-(counted:Triple)
    /*+ WHERE IN_SCOPE_TRIPLE(counted) */
    RETURN 1
    LIMIT $hub + 1
  })
END
