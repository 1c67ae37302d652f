internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

extension SignInStepPage {
    /// The page of other methods.
    static let ways = SignInStepPage(step: .ways, path: "/login/methods", show: { try await $0.waysPage($1, $2) }) {
        try await $0.chooseWay($1, $2)
    }
}

/// The page of other methods, for a first factor or for a second one.
extension SignInRoutes {
    func waysPage(_ visit: SignInVisit, _ problem: StepProblem = StepProblem()) async throws -> Response {
        let isSecond = visit.progress.proven != nil
        let needsPasskey = visit.progress.needsPasskey == true
        return respond(
            MethodsPage(
                form: form(visit), purpose: !isSecond ? .signIn : needsPasskey ? .passkey : .secondFactor,
                appName: appName(visit.passage),
                options: needsPasskey && isSecond ? [] : options(visit, isSecond ? .second : .first),
                passkey: try await passkeyButton(visit), problem: problem.passkey?.refusal,
                signals: problem.passkey?.signals ?? [], canBeLost: isSecond && services.recovery.isOffered), visit,
            problem.refusal)
    }

    private func options(_ visit: SignInVisit, _ place: SignInPlace) -> [MethodsPage.Option] {
        SignInMethodPages.all.filter { services.methods.offers($0.method) }.flatMap(\.ways)
            .filter { $0.place == place }
            .map { way in
                let (method, destination) = way.label(self, visit)
                return MethodsPage.Option(method: method, value: way.value, destination: destination)
            }
    }

    func chooseWay(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        let value = try form.one("method")
        guard let way = SignInMethodPages.all.lazy.flatMap(\.ways).first(where: { $0.value == value }) else {
            return try await waysPage(visit)
        }
        return try await way.choose(self, visit)
    }
}
