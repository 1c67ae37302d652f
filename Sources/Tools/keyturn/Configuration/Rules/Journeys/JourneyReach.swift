internal import Model
internal import SignIn

/// Finds steps that no user can pass, because the server has none of the methods that they take.
struct JourneyReach {
    private let offered: Set<AuthenticationMethod>
    private let hasConnections: Bool
    private static let firstFactors: Set<AuthenticationMethod> = [
        .password, .passkey, .email, .sms, .whatsapp, .voice, .social, .federated, .approval,
    ]
    private static let secondFactors: Set<AuthenticationMethod> = [.totp, .passkey]

    init(_ configuration: ServerConfiguration) {
        let delivery = configuration.delivery
        var offered: Set<AuthenticationMethod> = [.password, .passkey, .totp, .recoveryCode, .social, .federated]
        if delivery.smtp != nil || delivery.outbox { offered.insert(.email) }
        if delivery.smsWebhook != nil || delivery.outbox { offered.formUnion([.sms, .whatsapp, .voice]) }
        if configuration.project.methods.approval != nil { offered.insert(.approval) }
        self.offered = offered
        hasConnections = !configuration.connections.isEmpty
    }

    /// - Parameter section: of the journey.
    func check(_ journey: Journey, _ section: Section) {
        for step in journey.steps {
            switch step.kind {
            case .prove(let proof), .create(let proof, _): check(proof, step, section)
            case .stepUp(let proof): checkSecond(proof, step, section)
            case .link(let link) where link.connections.isEmpty && !hasConnections: warn(step, section)
            default: break
            }
        }
    }

    private func check(_ proof: JourneyProof, _ step: JourneyStep, _ section: Section) {
        let providers: Set<AuthenticationMethod> = [.social, .federated]
        guard !proof.methods.isEmpty, proof.connections.isEmpty else { return }
        let first = proof.methods.intersection(Self.firstFactors)
        if first.isEmpty {
            section.mistake(
                "steps", "no user can begin with \(Self.list(proof.methods)), the methods of \(step.name)",
                "Add one of: \(Self.list(Self.firstFactors)).")
        } else if first.isDisjoint(with: offered) {
            section.mistake(
                "steps", "the server offers none of the methods of \(step.name): \(Self.list(first))",
                "Set delivery.smtp, delivery.sms_webhook or project.approval, or add another method.")
        } else if first.isSubset(of: providers), !hasConnections {
            warn(step, section)
        }
    }

    private func checkSecond(_ proof: JourneyProof, _ step: JourneyStep, _ section: Section) {
        guard !proof.methods.isEmpty, proof.methods.isDisjoint(with: Self.secondFactors) else { return }
        section.mistake(
            "steps",
            "no user has \(Self.list(proof.methods)) as a second factor, and \(step.name) asks for nothing else",
            "Add totp or passkey.")
    }

    private func warn(_ step: JourneyStep, _ section: Section) {
        section.warning(
            "steps", "\(step.name) needs an identity provider, and the file has no connections",
            "Add one to connections, or with keyturn connection add.")
    }

    private static func list(_ methods: Set<AuthenticationMethod>) -> String {
        JourneyMethods.words.filter { methods.contains($0.value) }.keys.sorted().joined(separator: ", ")
    }
}
