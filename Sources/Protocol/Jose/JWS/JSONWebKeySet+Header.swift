extension JSONWebKeySet {
    /// The keys that may have signed a token with this header, each bound to the header's algorithm: the one with its
    /// `kid`, or all that fit if it names none. Two fitting keys of one name are ambiguous, and neither is taken.
    public func candidates(for header: JWSHeader) -> [VerificationKey] {
        guard let keyID = header.keyID else {
            // Making a key of numbers takes time, and a token that names none could make us do that for every one.
            return Array(
                keys.lazy.compactMap { try? VerificationKey($0, algorithm: header.algorithm) }
                    .prefix(Self.unnamedCandidatesMax))
        }
        let fitting = keys.lazy.filter { $0.keyID == keyID }
            .compactMap { try? VerificationKey($0, algorithm: header.algorithm) }.prefix(2)
        let candidates = Array(fitting)
        return candidates.count == 1 ? candidates : []
    }
}
