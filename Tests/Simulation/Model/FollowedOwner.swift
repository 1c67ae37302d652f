/// The owner of a refresh token and a thief who uses each rotation within the same minute, in any order, at the server's
/// own rules.
struct FollowedOwner: Hashable {
    /// How many refreshes are left, and how many of them whose answers the owner does not get. Pauses are free.
    var usesLeft: Int
    var lossesLeft = 2
    var grant = ShadowedGrant(fault: .none)
    var owner: Int64 = 0
    var thief: Int64 = 0
    /// Who was answered since the last rotation, and who raised the counter.
    var users: Set<Bool> = []
    var ownerWasFirst = false
    /// Rotations running that both used, and those of them in which the thief came second; the last one included.
    var shared = 0
    var followed = 0
    /// The token that both got at the last of them, and whether one came with an older one meanwhile: then the count
    /// begins anew after a minute.
    var given: Int64 = 0
    var isBroken = false
    var violation: String?

    init(uses: Int) {
        usesLeft = uses
    }

    static func next(_ model: FollowedOwner) -> [ModelChecker<FollowedOwner>.Transition] {
        guard model.violation == nil, !model.grant.isTold, !model.grant.isEnded, model.usesLeft > 0 else { return [] }
        var steps = [
            ModelChecker<FollowedOwner>.Transition("the owner refreshes", model.refreshed(.home)),
            .init("the thief refreshes", model.refreshed(.elsewhere)),
            .init("a minute passes", model.afterAMinute()),
        ]
        if model.lossesLeft > 0 {
            steps.append(.init("the owner refreshes in vain", model.refreshed(.home, isAnswerLost: true)))
        }
        return steps
    }

    private func afterAMinute() -> FollowedOwner {
        var model = self
        model.grant.age()
        // Who has not come now is late, and another rule's.
        if users.count < 2 || isBroken { (model.shared, model.followed, model.isBroken) = (0, 0, false) }
        return model
    }

    private func refreshed(_ place: Place, isAnswerLost: Bool = false) -> FollowedOwner {
        var model = self
        let isOwner = place == .home
        model.usesLeft -= 1
        if isAnswerLost { model.lossesLeft -= 1 }
        let presented = isOwner ? owner : thief
        guard let counter = model.grant.refresh(presented, from: place) else { return model }
        if !isAnswerLost {
            if isOwner { model.owner = counter } else { model.thief = counter }
        }
        model.note(presented, isOwner: isOwner, rotates: presented == grant.counter)
        let oldest = min(model.owner, model.thief)
        model.owner -= oldest
        model.thief -= oldest
        model.given -= oldest
        model.grant.renumber(from: oldest)
        return model
    }

    private mutating func note(_ presented: Int64, isOwner: Bool, rotates: Bool) {
        if rotates {
            users = [isOwner]
            ownerWasFirst = isOwner
            return
        }
        guard users.insert(isOwner).inserted, users.count == 2 else { return }
        isBroken = isBroken || (shared > 0 && presented != given)
        guard !isBroken else { return }
        given = grant.counter
        shared += 1
        followed = ownerWasFirst ? followed + 1 : 0
        if shared >= 5, !grant.isTold { violation = "both used five rotations running, and nothing was told" }
        if followed >= 3, !grant.isTold {
            violation = "the thief followed three rotations running, and nothing was told"
        }
    }
}
