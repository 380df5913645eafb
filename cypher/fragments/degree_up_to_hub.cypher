// fragment: degree_up_to_hub(e)
// The number of triples at a node, where it only counts whether that is above $hub: one with few relationships is no
// hub, whatever these are. See degree for the others; of their triples, no more are counted than it takes.
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
