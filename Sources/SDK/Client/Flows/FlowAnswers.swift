internal import KeyturnBase
internal import KeyturnWire

/// What the system's browser and sheets bring for a page.
enum FlowAnswers {
    /// - Throws: `sign_in.cancelled`; `sign_in.callback_mismatch`; `service.unsupported`; as the browser and the sheet.
    static func answer(
        _ request: FlowRequest, _ browser: any BrowserAgent, _ native: (any NativeSignIn)?
    ) async throws(AuthError) -> (type: String, json: JSONValue) {
        switch request {
        case .web(let kind, let startURL):
            let code = try await code(from: startURL, browser)
            return (kind, ["exchangeCode": .string(code)])
        case .native(let start):
            guard let native else { throw AuthError(.unsupported, "there is no sheet of this provider here") }
            let credential = try await native.credential(for: start)
            let finish = NativeSocialFinishRequest(
                provider: start.provider.rawValue, stateID: start.stateID, name: credential.name,
                code: start.takesIDToken ? nil : credential.code,
                idToken: start.takesIDToken ? credential.idToken : nil)
            var members = finish.json.objectValue ?? [:]
            members["provider"] = nil
            return (FlowRequest.nativeKind, ["nativeOAuth": .object(members)])
        }
    }

    private static func code(from startURL: String, _ browser: any BrowserAgent) async throws(AuthError) -> String {
        let session = try await browser.prepare(redirectURI: FlowScript.redirectURI)
        let callback: String
        do throws(AuthError) {
            callback = try await session.open(startURL, state: "")
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        return try code(in: callback)
    }

    /// The code of the address that the browser came back with. The page's server tells whether it is this flow's.
    static func code(in callback: String) throws(AuthError) -> String {
        guard callback.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(callback),
            base == FlowScript.redirectURI, let parameters = try? FormParameters(parsing: query)
        else { throw AuthError(.callbackMismatch, "the callback came to another address") }
        if let refusal = parameters.values("err").first {
            throw AuthError(refusal == "access_denied" ? .cancelled : .providerFailed, "the provider did not sign in")
        }
        guard let code = try? parameters.one("code"), !code.isEmpty,
            code.utf8.count <= Limits.methodTextMaxBytes
        else { throw AuthError(.callbackMismatch, "the callback has no code") }
        return code
    }
}
