public import Authority

extension Grounds {
    /// - Returns: the client that the permission concerns.
    /// - Throws: ``StoreError``, `forbidden`, if it concerns none.
    public func requireClient() throws(StoreError) -> String {
        guard let clientID else { throw StoreError(.forbidden) }
        return clientID
    }

    /// - Parameter before: what stands in the row; `nil`: it is new.
    /// - Throws: ``StoreError``, `forbidden`, if the permission is for another client, or the change is an owner's and
    ///   the caller is none.
    public func requireCover(of before: Client?, _ after: Client) throws(StoreError) {
        guard clientID == after.id, !after.needsOwner(over: before) || allow(.registerManagementClient) else {
            throw StoreError(.forbidden)
        }
    }

    /// - Throws: ``StoreError``, `forbidden`, if the permission is for another client, or the client asks for what only
    ///   an operator gives.
    public func requireRegistered(_ client: Client) throws(StoreError) {
        guard clientID == client.id, client.registration != nil, !client.needsOwner(over: nil) else {
            throw StoreError(.forbidden)
        }
    }

    /// - Throws: ``StoreError``, `forbidden`, if the permission rests on a registration that is another's, or none, or the
    ///   client is an owner's and the caller is none: its name would be free for another one.
    public func requireRemoval(of client: Client) throws(StoreError) {
        guard clientID == client.id,
            client.isOwn ? allow(.registerManagementClient) : client.registration != nil || allow(.changeClient)
        else { throw StoreError(.forbidden) }
    }
}
