internal import KeyturnWire
internal import Model
internal import Texts

/// What the pages of messages say.
struct ConsoleMessagesStrings: PageTexts {
    static let group = "consoleMessages"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var waitingTitle: String { texts["waitingTitle"] }
    func count(_ count: Int) -> String { texts["count", count: count] }
    var message: String { texts["message"] }
    var channelTitle: String { texts["channelTitle"] }
    var since: String { texts["since"] }
    var attempts: String { texts["attempts"] }
    var next: String { texts["next"] }
    var reason: String { texts["reason"] }
    var dueNow: String { texts["dueNow"] }
    func due(_ duration: String) -> String { texts["due", ["duration": duration]] }
    var sending: String { texts["sending"] }
    var retry: String { texts["retry"] }
    var deadTitle: String { texts["deadTitle"] }
    var deadLead: String { texts["deadLead"] }
    var deadEmpty: String { texts["deadEmpty"] }
    var givenUp: String { texts["givenUp"] }
    var testTitle: String { texts["testTitle"] }
    var testLead: String { texts["testLead"] }
    var noChannel: String { texts["noChannel"] }
    var address: String { texts["address"] }
    var addressHint: String { texts["addressHint"] }
    var wrongAddress: String { texts["wrongAddress"] }
    var language: String { texts["language"] }
    var send: String { texts["send"] }
    var preview: String { texts["preview"] }
    var previewLead: String { texts["previewLead"] }
    var show: String { texts["show"] }
    var subject: String { texts["subject"] }
    var asText: String { texts["asText"] }
    var asPage: String { texts["asPage"] }
    var source: String { texts["source"] }

    func channel(_ channel: DeliveryMethod) -> String {
        switch channel {
        case .email: texts["channel.email"]
        case .sms: texts["channel.sms"]
        case .whatsapp: texts["channel.whatsapp"]
        case .voice: texts["channel.voice"]
        case .push: texts["channel.push"]
        }
    }

    func notice(_ notice: ConsoleMessagesPage.Notice) -> String {
        switch notice {
        case .queued: texts["notice.queued"]
        case .retried: texts["notice.retried"]
        case .gone: texts["notice.gone"]
        }
    }
}

extension ConsoleMessagesStrings {
    /// What a message is about.
    func kind(_ kind: MessageKind) -> String {
        switch kind {
        case .code: texts["kind.code"]
        case .magicLink: texts["kind.magicLink"]
        case .enchantedLink: texts["kind.enchantedLink"]
        case .passwordReset: texts["kind.passwordReset"]
        case .verifyAddress: texts["kind.verifyAddress"]
        case .addressChanged: texts["kind.addressChanged"]
        case .addressAdded: texts["kind.addressAdded"]
        case .addressRemoved: texts["kind.addressRemoved"]
        case .alreadyRegistered: texts["kind.alreadyRegistered"]
        case .unknownAccount: texts["kind.unknownAccount"]
        case .invitation: texts["kind.invitation"]
        case .newSignIn: texts["kind.newSignIn"]
        case .passwordChanged: texts["kind.passwordChanged"]
        case .authenticatorAdded: texts["kind.authenticatorAdded"]
        case .authenticatorRemoved: texts["kind.authenticatorRemoved"]
        case .passkeyAdded: texts["kind.passkeyAdded"]
        case .passkeyRemoved: texts["kind.passkeyRemoved"]
        case .biometricKeyAdded: texts["kind.biometricKeyAdded"]
        case .biometricKeyRemoved: texts["kind.biometricKeyRemoved"]
        case .sessionEnded: texts["kind.sessionEnded"]
        case .sessionShadowed: texts["kind.sessionShadowed"]
        case .recoveryProof: texts["kind.recoveryProof"]
        case .recoveryBegun: texts["kind.recoveryBegun"]
        case .recoveryFinished: texts["kind.recoveryFinished"]
        case .identityLinked: texts["kind.identityLinked"]
        case .identityUnlinked: texts["kind.identityUnlinked"]
        case .accountsMerged: texts["kind.accountsMerged"]
        case .accountDeleted: texts["kind.accountDeleted"]
        case .recoveryCodesRenewed: texts["kind.recoveryCodesRenewed"]
        case .signInRequested: texts["kind.signInRequested"]
        case .certificateExpiring: texts["kind.certificateExpiring"]
        }
    }
}
