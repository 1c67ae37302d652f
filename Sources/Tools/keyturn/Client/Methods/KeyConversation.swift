internal import Keyturn
internal import KeyturnBase

/// What is said about a security key at the terminal, on standard error, and asked there.
struct KeyConversation: SecurityKeyInteraction {
    let console: MethodConsole

    func insertKey() async {
        console.tell("Plug in your security key. Waiting; Ctrl-C gives up.")
    }

    func touchKey(_ purpose: SecurityKeyTouch) async {
        console.tell(
            purpose == .choose
                ? "Touch the security key that you want to use." : "Touch your security key. Ctrl-C gives up.")
    }

    func pin(triesLeft: Int?, wasWrong: Bool) async -> Secret? {
        if wasWrong {
            let tries = triesLeft.map { "; \($0) tries left before the key takes none" } ?? ""
            console.tell("That PIN is wrong\(tries).")
            // A program that is wrong once is wrong again, and the key would close for good.
            guard console.isTerminal else { return nil }
        }
        return try? console.askSecret("PIN of the security key: ")
    }

    func chooseAccount(among accounts: [SecurityKeyAccount]) async -> Int? {
        console.tell("The security key has several accounts:")
        for (index, account) in accounts.enumerated() {
            let names = [account.name, account.displayName].compactMap(\.self).filter { !$0.isEmpty }
            console.tell("  \(index + 1)  \(Printable.text(names.first ?? "an account without a name"))")
        }
        guard let answer = try? console.ask("Which one: "), let number = Int(answer) else { return nil }
        return number - 1
    }
}
