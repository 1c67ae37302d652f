#if os(Linux) || os(macOS)
    internal import KeyturnBase
    internal import KeyturnWire

    /// One sign-in on the loopback interface (RFC 8252 §7.3): serves the browser until the right callback comes.
    ///
    /// Every program on this machine can connect, and browsers connect for their own reasons too: for an icon, or in
    /// advance without saying anything. So several are served at a time, none for long, and a request with another
    /// `state` is turned away without ending the wait.
    actor LoopbackSession: WebAuthenticationSession {
        nonisolated let redirectURI: String
        private let path: String
        private let hosts: Set<String>
        private let launch: BrowserLaunch
        private let timeoutSeconds: Int64
        private var listener: LoopbackSocket?
        private var guests: [Guest] = []
        /// Whether the page is the one that ends the browser's session at the service.
        private var isSignOut = false

        private struct Guest {
            let socket: LoopbackSocket
            let since: ContinuousClock.Instant
            var received: [UInt8] = []
        }

        /// Most connections at a time; the longest-standing is dropped for the next.
        private static let guestsMax = 16
        /// How long a connection may take to say what it wants.
        private static let patience = Duration.seconds(10)
        /// How often to look, in milliseconds: fast for a person, cheap for the machine.
        private static let pauseMilliseconds = 15

        init(redirectURI: LoopbackRedirect, launch: BrowserLaunch, timeoutSeconds: Int64) throws(AuthError) {
            let listener = try LoopbackSocket.listen(port: redirectURI.port)
            let port = try listener.port()
            self.listener = listener
            self.launch = launch
            self.timeoutSeconds = timeoutSeconds
            self.redirectURI = "http://\(redirectURI.host):\(port)\(redirectURI.path)"
            path = redirectURI.path.isEmpty ? "/" : redirectURI.path
            hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        }

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            isSignOut = Self.isSignOut(url)
            try await launch.show(url)
            let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
            while let listener {
                while let socket = listener.accept() { welcome(socket) }
                if let callback = serve(state: state) { return callback }
                guard ContinuousClock.now < deadline else {
                    throw AuthError(.cancelled, "nobody came back from the browser in time")
                }
                do {
                    try await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
                } catch {
                    throw .taskCancelled
                }
            }
            throw AuthError(.cancelled, "the sign-in was closed")
        }

        func close() {
            guests = []
            listener = nil
        }

        private static func isSignOut(_ url: String) -> Bool {
            guard let query = URLText.split(url)?.query, let form = try? FormParameters(parsing: query) else {
                return false
            }
            return !form.values("post_logout_redirect_uri").isEmpty
        }

        private func welcome(_ socket: LoopbackSocket) {
            if guests.count >= Self.guestsMax { guests.removeFirst() }
            guests.append(Guest(socket: socket, since: .now))
        }

        /// Serves connections that have sent enough.
        ///
        /// - Returns: the callback, if it was among them.
        private func serve(state: String) -> String? {
            var staying: [Guest] = []
            var callback: String?
            for var guest in guests {
                switch guest.socket.receive() {
                case .bytes(let bytes): guest.received += bytes
                case .nothingYet:
                    if ContinuousClock.now - guest.since < Self.patience { staying.append(guest) }
                    continue
                case .closed: continue
                }
                guard let (page, url) = answer(guest.received, state: state) else {
                    staying.append(guest)
                    continue
                }
                guest.socket.send(page.response)
                callback = callback ?? url
            }
            guests = staying
            return callback
        }

        /// The page for what was received, and the callback if it is one; `nil` if there is more to come.
        private func answer(_ received: [UInt8], state: String) -> (CallbackPage, url: String?)? {
            switch CallbackRequest.read(received) {
            case .incomplete: return nil
            case .malformed: return (.malformed, nil)
            case .tooLarge: return (.tooLarge, nil)
            case .complete(let request):
                // A name that an attacker's name server maps to this machine is not this machine (DNS rebinding).
                guard let host = request.host, hosts.contains(host) else { return (.malformed, nil) }
                guard request.path == path else { return (.notFound, nil) }
                guard request.method == "GET" else { return (.wrongMethod, nil) }
                let query = request.target.dropFirst(request.path.count)
                let url = redirectURI + query
                guard url.utf8.count <= Limits.callbackMaxBytes else { return (.tooLarge, nil) }
                guard let form = try? FormParameters(parsing: query.dropFirst()), let sent = try? form.one("state"),
                    ConstantTime.equal(Array(sent.utf8), Array(state.utf8)), let isRefusal = isRefusal(form)
                else { return (.foreign, nil) }
                return (isRefusal ? .refused : .received, url)
            }
        }

        /// Whether the service refuses; `nil` if this ends no browser session. A sign-in ends with `code`, a ceremony
        /// with `response`, either with `error` or, at a provider, with `err`, and a sign-out with nothing but the `state`.
        private func isRefusal(_ form: FormParameters) -> Bool? {
            do throws(FormProblem) {
                let (error, code, response) = (
                    try form.one("error"), try form.one("code"), try form.one("response")
                )
                let refusal = try form.one("err")
                if error != nil || refusal != nil { return true }
                let isEnd = code != nil || response != nil || isSignOut && form.all.count == 1
                return isEnd ? false : nil
            } catch {
                return nil
            }
        }
    }
#endif
