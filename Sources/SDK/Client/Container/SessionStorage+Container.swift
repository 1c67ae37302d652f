internal import KeyturnBase

extension SessionStorage {
    /// The store of one container.
    ///
    /// - Parameters:
    ///   - name: `nil`: the container has the name that is made for `client` in this program.
    ///   - client: `nil`: whichever was signed in under `name`.
    func makeStore(ambient: Ambient, name: String?, client: SessionRecord.Client?) -> any SessionStore {
        let store = makeStore(ambient: ambient)
        switch (self, name) {
        case (.memory, _): return store
        // A name that was made for a container means the same when it is given.
        case (_, .some(let name)) where ContainerName.isDerived(name):
            return ContainerStore(store, name: name, client: client)
        case (.automatic, .some(ContainerName.shared)):
            return ContainerStore(store, name: ContainerName.shared, client: client)
        case (_, .some): return store
        case (_, nil):
            guard let client else { return store }
            let name = ContainerName.derived(of: client, program: ContainerName.program)
            return ContainerStore(store, name: name, client: client)
        }
    }
}
