internal import Texts

/// What the page says on which something ends.
struct DoneStrings: PageTexts {
    static let group = "done"
    let texts: TextGroup

    func heading(_ kind: DonePage.Kind) -> String {
        switch kind {
        case .linkConfirmed: texts["heading.linkConfirmed"]
        case .linkRefused: texts["heading.linkRefused"]
        case .addressVerified: texts["heading.addressVerified"]
        case .passwordChanged: texts["heading.passwordChanged"]
        case .accountDeleted: texts["heading.accountDeleted"]
        case .cancelled: texts["heading.cancelled"]
        case .recoveryCancelled: texts["heading.recoveryCancelled"]
        case .connectionTried: texts["heading.connectionTried"]
        }
    }
    func lead(_ kind: DonePage.Kind) -> String {
        switch kind {
        case .linkConfirmed: texts["lead.linkConfirmed"]
        case .linkRefused: texts["lead.linkRefused"]
        case .addressVerified: texts["lead.addressVerified"]
        case .passwordChanged: texts["lead.passwordChanged"]
        case .accountDeleted: texts["lead.accountDeleted"]
        case .cancelled: texts["lead.cancelled"]
        case .connectionTried: texts["lead.connectionTried"]
        case .recoveryCancelled: texts["lead.recoveryCancelled"]
        }
    }
    var changePassword: String { texts["changePassword"] }
}
