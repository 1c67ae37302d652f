internal import KeyturnBase
internal import Model

/// Sign-outs at providers.
extension ValueFederatedIdentityStore {
    func noteSignOut(of key: FederatedIdentity.Key, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            guard let before = world.identities[key] else { return }
            world.identities[key]?.signedOutAt = max(before.signedOutAt ?? now, now)
        }
    }
}
