internal import Account
internal import Model

/// What the role support may do for a user.
extension ConsoleUserPage {
    func actions(_ strings: Strings) -> [ConsoleUserAction] {
        let text = strings[ConsoleUserStrings.self]
        let name = account.shownName
        let own = [(name: "id", value: account.user.id.rawValue)]
        var actions: [ConsoleUserAction] = []
        func add(
            _ word: String, _ label: String, _ question: String, isDangerous: Bool = false, in form: PageForm
        ) {
            actions.append(
                ConsoleUserAction(
                    word: word, label: label, question: question, isDangerous: isDangerous, fields: own, form: form))
        }
        if account.user.status == .invited { add("invite", text.invite, text.inviteSure(name), in: form) }
        if let resetAddress {
            add("reset", text.reset, text.resetSure(resetAddress), in: form)
            if methods.password?.mustReplace == false {
                add("reset-expiring", text.resetExpiring, text.resetExpiringSure(resetAddress), in: form)
            }
        }
        if !methods.authenticators.isEmpty || methods.recoveryCodes > 0 {
            add("remove-factor", text.removeFactor, text.removeFactorSure(name), isDangerous: true, in: form)
        }
        if !signedIn.others.isEmpty || !signedIn.apps.isEmpty || !signedIn.keys.isEmpty {
            add("end-all", text.endAll, text.endAllSure(name), isDangerous: true, in: sessionForm)
        }
        guard !subject.isOwn else { return actions }
        if account.user.status == .active || account.user.status == .invited {
            add("disable", text.disable, text.disableSure(name), isDangerous: true, in: sessionForm)
        } else {
            add("enable", text.enable, text.enableSure(name), in: sessionForm)
        }
        return actions
    }
}
