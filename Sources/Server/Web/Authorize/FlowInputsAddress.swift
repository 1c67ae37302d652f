internal import KeyturnWire
internal import Model
internal import OAuth

/// The first address of a flow, for a script that adds what the app tells the journey.
enum FlowInputsAddress {
    static func of(_ transaction: AuthorizationTransaction, _ flow: AppFlow, _ project: Project) -> String {
        var query = FormParameters(["flow": flow.name])
        query.append("locale", transaction.uiLocales)
        query.append("theme", transaction.colorScheme)
        return "/login/\(project.id)?\(query.encoded)"
    }
}
