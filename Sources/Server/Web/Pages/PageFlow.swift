internal import Model

/// The flow of an app that a page belongs to. Its web view finds it by an element with the name of Descope's.
struct PageFlow: Sendable {
    /// As the app named it; empty: the default one.
    let name: String
    /// Where its script begins again with what the app tells the journey; `nil`: the journey reads nothing, or was
    /// told.
    let inputsAt: String?
    private let projectID: String
    private let base: String

    init(name: String, project: Project, inputsAt: String? = nil) {
        self.name = name
        self.inputsAt = inputsAt
        projectID = project.id
        base = project.base
    }

    /// The values for the layout.
    func values(script: PageAsset) -> [String: Any] {
        var values = ["name": name, "project": projectID, "base": base, "script": script.path]
        values["inputsAt"] = inputsAt
        return values
    }
}
