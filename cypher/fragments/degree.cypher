// fragment: degree(e)
// The number of triples at a node. The server has the degree of a node at once, but the user's own nodes may have
// relationships of the types SUBJECT and OBJECT that are not ours: if the database has such ones, or if the degree is
// small, triples are counted one by one.
CASE
  WHEN COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } > 20
    /*+ AND COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } > $scope.most */
    AND COUNT { MATCH ()-[:SUBJECT]->() } = COUNT { MATCH (:Triple)-[:SUBJECT]->() }
    AND COUNT { MATCH ()-[:OBJECT]->() } = COUNT { MATCH (:Triple)-[:OBJECT]->() }
  THEN COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }
  ELSE COUNT { (e)<-[:SUBJECT|OBJECT]-(counted:Triple) /*+ WHERE IN_SCOPE_TRIPLE(counted) */ }
END
