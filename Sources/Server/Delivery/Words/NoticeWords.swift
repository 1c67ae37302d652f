internal import Model
internal import Texts

/// What users are told about changes to their accounts.
struct NoticeWords {
    private let texts: TextGroup
    private let facts: MessageFacts

    init(_ texts: TextGroup, _ facts: MessageFacts) {
        self.texts = texts
        self.facts = facts
    }

    func words(_ kind: MessageKind) -> MessageWords {
        let app: [String: any TextValue] = ["app": facts.app]
        return switch kind {
        case .passwordChanged:
            words(
                texts["passwordChanged.subject", app], texts["passwordChanged.heading"],
                texts["passwordChanged.text", app], note: texts["passwordChanged.note"])
        case .passkeyAdded:
            words(
                texts["passkeyAdded.subject", app], texts["passkeyAdded.heading"], texts["passkeyAdded.text", app])
        case .passkeyRemoved:
            words(
                texts["passkeyRemoved.subject", app], texts["passkeyRemoved.heading"],
                texts["passkeyRemoved.text", app])
        case .authenticatorAdded:
            words(
                texts["authenticatorAdded.subject", app], texts["authenticatorAdded.heading"],
                texts["authenticatorAdded.text", app])
        case .authenticatorRemoved:
            words(
                texts["authenticatorRemoved.subject", app], texts["authenticatorRemoved.heading"],
                texts["authenticatorRemoved.text", app])
        case .biometricKeyAdded:
            words(
                texts["biometricKeyAdded.subject", app], texts["biometricKeyAdded.heading"],
                texts["biometricKeyAdded.text", app])
        case .biometricKeyRemoved:
            words(
                texts["biometricKeyRemoved.subject", app], texts["biometricKeyRemoved.heading"],
                texts["biometricKeyRemoved.text", app])
        case .identityLinked:
            words(
                texts["identityLinked.subject", app], texts["identityLinked.heading"],
                texts["identityLinked.text", app])
        case .identityUnlinked:
            words(
                texts["identityUnlinked.subject", app], texts["identityUnlinked.heading"],
                texts["identityUnlinked.text", app])
        case .recoveryCodesRenewed:
            words(
                texts["recoveryCodesRenewed.subject", app], texts["recoveryCodesRenewed.heading"],
                texts["recoveryCodesRenewed.text", app])
        default: account(kind, app) ?? address(kind, app) ?? session(kind, app)
        }
    }

    private func account(_ kind: MessageKind, _ app: [String: any TextValue]) -> MessageWords? {
        switch kind {
        case .accountsMerged:
            return words(
                texts["accountsMerged.subject", app], texts["accountsMerged.heading"],
                texts["accountsMerged.text", app])
        case .accountDeleted:
            return words(
                texts["accountDeleted.subject", app], texts["accountDeleted.heading"],
                texts["accountDeleted.text", app], action: texts["accountDeleted.action"],
                note: texts["accountDeleted.note", app], short: texts["accountDeleted.short", app])
        default: return nil
        }
    }

    private func address(_ kind: MessageKind, _ app: [String: any TextValue]) -> MessageWords? {
        let note = texts["notice.addressNote", app]
        switch kind {
        case .addressAdded:
            return words(
                texts["addressAdded.subject", app], texts["addressAdded.heading"],
                texts["addressAdded.text", facts.values(address: facts.newAddress)])
        case .addressRemoved:
            return words(
                texts["addressRemoved.subject", app], texts["addressRemoved.heading"],
                texts["addressRemoved.text", facts.values(address: facts.oldAddress)], note: note)
        case .addressChanged:
            return words(
                texts["addressChanged.subject", app], texts["addressChanged.heading"],
                texts["addressChanged.text", facts.values(address: facts.newAddress)], note: note)
        default: return nil
        }
    }

    private func session(_ kind: MessageKind, _ app: [String: any TextValue]) -> MessageWords {
        switch kind {
        case .recoveryBegun:
            return words(
                texts["recoveryBegun.subject", app], texts["recoveryBegun.heading"],
                texts["recoveryBegun.text", facts.values(time: facts.readyAt)], action: texts["recoveryBegun.action"],
                note: texts["recoveryBegun.note"], short: texts["recoveryBegun.short"])
        case .recoveryFinished:
            return words(
                texts["recoveryFinished.subject", app], texts["recoveryFinished.heading"],
                texts["recoveryFinished.text", app])
        case .signInRequested:
            let client = facts.clientName ?? facts.app
            return words(
                texts["signInRequested.subject", ["client": client]], texts["signInRequested.heading"],
                texts["signInRequested.text", ["client": client, "app": facts.app]])
        case .sessionShadowed:
            return words(
                texts["sessionShadowed.subject", app], texts["sessionShadowed.heading"],
                texts["sessionShadowed.text", facts.values(client: facts.clientName)],
                note: texts["sessionShadowed.note"], short: texts["sessionShadowed.short"])
        default:
            return words(
                texts["sessionEnded.subject", app], texts["sessionEnded.heading"],
                texts["sessionEnded.text", facts.values(client: facts.clientName)],
                note: texts["sessionEnded.note"], short: texts["sessionEnded.short"])
        }
    }

    private func words(
        _ subject: String, _ heading: String, _ sentence: String, action: String? = nil, note: String? = nil,
        short: String? = nil
    ) -> MessageWords {
        MessageWords(
            subject: subject, heading: heading, paragraphs: [sentence, facts.origin(texts)].compactMap(\.self),
            action: action ?? texts["notice.action"], note: note ?? texts["notice.note"],
            short: texts.joined(sentence, short ?? texts["notice.short"]))
    }
}

extension MessageFacts {
    /// The values of a sentence with parts that are not always there: `hasTime` and its like choose.
    func values(
        device: String? = nil, time: String? = nil, address: String? = nil, client: String? = nil
    ) -> [String: any TextValue] {
        var values: [String: any TextValue] = ["app": app]
        for (name, value) in [("Device", device), ("Time", time), ("Address", address), ("Client", client)] {
            values[name.lowercased()] = value
            values["has\(name)"] = value == nil ? "no" : "yes"
        }
        return values
    }

    /// When it happened, and from where.
    func origin(_ texts: TextGroup) -> String? {
        let places = [
            device.map { deviceName($0, texts) }, country.map { CountryName.text($0, in: texts.table.code) },
            networkAddress.map { texts["notice.network", ["address": $0]] },
        ].compactMap(\.self)
        let time = when.map { texts["notice.when", ["time": $0]] }
        guard let first = places.first else { return time }
        let place = places.dropFirst().reduce(first) { texts["notice.list", ["first": $0, "second": $1]] }
        let from = texts["notice.from", ["place": place]]
        return time.map { texts.joined($0, from) } ?? from
    }

    /// “Firefox on Linux” in the language of the message.
    func deviceName(_ name: String, _ texts: TextGroup) -> String {
        guard let middle = name.firstRange(of: " on ") else { return name }
        let browser = String(name[..<middle.lowerBound]), system = String(name[middle.upperBound...])
        return texts["notice.device", ["browser": browser, "system": system]]
    }
}
