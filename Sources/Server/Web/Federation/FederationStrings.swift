internal import SignIn
internal import Texts

/// What pages say about identity providers.
struct FederationStrings: PageTexts {
    static let group = "federation"
    let texts: TextGroup

    func continueWith(_ provider: String) -> String { texts["continueWith", ["provider": provider]] }
    var organisation: String { texts["organisation"] }
    func departing(_ provider: String) -> String { texts["departing", ["provider": provider]] }
    var departingLead: String { texts["departingLead"] }
    var lastUsed: String { texts["lastUsed"] }
    func problem(_ problem: FederationProblem, _ provider: String) -> String {
        switch problem {
        case .connection(.cancelled): texts["problem.cancelled", ["provider": provider]]
        case .connection(.denied): texts["problem.denied", ["provider": provider]]
        case .connection(.unavailable): texts["problem.unavailable", ["provider": provider]]
        case .connection(.misconfigured): texts["problem.misconfigured", ["provider": provider]]
        case .connection(.refused): texts["problem.refused", ["provider": provider]]
        case .refusal(.connectionOff): texts["problem.connectionOff", ["provider": provider]]
        case .refusal(.unknownUser): texts["problem.unknownUser"]
        case .refusal(.foreignDomain): texts["problem.foreignDomain", ["provider": provider]]
        case .refusal(.unprovenAddress): texts["problem.unprovenAddress", ["provider": provider]]
        case .refusal(.deniedAddress): texts["problem.deniedAddress", ["provider": provider]]
        case .refusal(.disabled): texts["problem.disabled"]
        case .refusal(.stale): texts["problem.stale", ["provider": provider]]
        case .refusal(.state): texts["problem.state"]
        case .refusal(.singleSignOn): texts["problem.singleSignOn", ["provider": provider]]
        case .refusal(.taken): texts["problem.taken", ["provider": provider]]
        case .otherUser: texts["problem.otherUser", ["provider": provider]]
        case .noOrganisation: texts["problem.noOrganisation"]
        case .passwordHere: texts["problem.passwordHere", ["provider": provider]]
        }
    }
    func pending(_ provider: String) -> String { texts["pending", ["provider": provider]] }
}
