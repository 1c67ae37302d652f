internal import CLDAP
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif
internal import KeyturnBase
internal import Model

/// One connection to a directory through libldap, on the thread that made it. Every call waits no longer than until the
/// deadline.
@safe final class LDAPHandle {
    private let ldap: OpaquePointer
    private let deadline: ContinuousClock.Instant

    /// Connects, with TLS unless the address is loopback and no authorities are named.
    ///
    /// - Throws: ``LDAPFault``.
    init(_ settings: LDAPConnectionSettings, until deadline: ContinuousClock.Instant) throws(LDAPFault) {
        guard let address = LDAPAddress(settings.url) else { throw .settings("url") }
        var opened: OpaquePointer?
        let status = unsafe ldap_initialize(&opened, address.text)
        guard status == LDAP_SUCCESS, let ldap = unsafe opened else { throw .result(status, diagnostic: "") }
        unsafe self.ldap = ldap
        self.deadline = deadline
        try setUp()
        let isPlain = !address.isImplicitTLS && address.isLoopback && settings.certificateAuthorities == nil
        if !isPlain { try unsafe TLSOptions.set(on: ldap, authorities: settings.certificateAuthorities) }
        try arm()
        let connected = unsafe ldap_connect(ldap)
        guard connected == LDAP_SUCCESS else {
            let fault = fault(connected)
            throw address.isImplicitTLS && isOfTLS(fault) ? .insecure : fault
        }
        guard !isPlain, !address.isImplicitTLS else { return }
        try arm()
        let raised = unsafe ldap_start_tls_s(ldap, nil, nil)
        guard raised == LDAP_SUCCESS else {
            let fault = fault(raised)
            // libldap's LDAP_CONNECT_ERROR is a failed handshake here: the connection stands already.
            throw raised != LDAP_CONNECT_ERROR && fault.isTrouble ? fault : .insecure
        }
    }

    deinit {
        unsafe ldap_unbind_ext_s(ldap, nil, nil)
    }

    /// Proves who asks (simple bind, RFC 4513 §5.1.3).
    ///
    /// - Throws: ``LDAPFault`` with the directory's result code.
    func bind(_ name: String, _ password: Secret) throws(LDAPFault) {
        var bytes = password.exposed().utf8.map(CChar.init(bitPattern:))
        // A bind with a name and no password says nothing about the name, and is granted by many directories (RFC 4513
        // §5.1.2). One with a NUL may be cut there.
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .settings("empty_password") }
        try arm()
        let count = bytes.count
        let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var credentials = unsafe berval(bv_len: ber_len_t(count), bv_val: buffer.baseAddress)
            return unsafe ldap_sasl_bind_s(ldap, name, nil, &credentials, nil, nil, nil)
        }
        for index in bytes.indices { bytes[index] = 0 }
        guard status == LDAP_SUCCESS else { throw fault(status) }
    }

    /// The entries below `base` that a filter finds.
    ///
    /// - Parameters:
    ///   - base: the name of the entry to begin at.
    ///   - filter: with every value escaped.
    ///   - attributes: to read.
    ///   - limit: at most so many.
    /// - Returns: the entries; `isCut`: there are more.
    /// - Throws: ``LDAPFault``; a referral (RFC 4511 §4.1.10) is a fault: it is never followed.
    func search(_ base: String, _ filter: String, attributes: [String], limit: Int32) throws(LDAPFault) -> (
        entries: [LDAPEntry], isCut: Bool
    ) {
        let remaining = try arm()
        var names: [UnsafeMutablePointer<CChar>?] = unsafe attributes.map { unsafe strdup($0) } + [nil]
        defer { unsafe names.forEach { unsafe free($0) } }
        var result: OpaquePointer?
        var wait = remaining
        let status = unsafe ldap_search_ext_s(
            ldap, base, ber_int_t(LDAP_SCOPE_SUBTREE), filter, &names, 0, nil, nil, &wait, limit, &result)
        defer { if let result = unsafe result { unsafe ldap_msgfree(result) } }
        guard status == LDAP_SUCCESS || status == LDAP_SIZELIMIT_EXCEEDED else { throw fault(status) }
        var entries: [LDAPEntry] = []
        var message = unsafe result.flatMap { unsafe ldap_first_entry(ldap, $0) }
        while let entry = unsafe message, entries.count < limit {
            if let read = unsafe LDAPEntry(ldap, entry, attributes) { entries.append(read) }
            unsafe message = ldap_next_entry(ldap, entry)
        }
        return (entries, status == LDAP_SIZELIMIT_EXCEEDED)
    }

    /// What ldap.conf and the environment of the process may not decide.
    private func setUp() throws(LDAPFault) {
        var version = LDAP_VERSION3
        var aliases = LDAP_DEREF_NEVER
        let statuses = unsafe [
            ldap_set_option(ldap, LDAP_OPT_PROTOCOL_VERSION, &version),
            // Off is the null pointer.
            ldap_set_option(ldap, LDAP_OPT_REFERRALS, nil),
            ldap_set_option(ldap, LDAP_OPT_RESTART, nil),
            ldap_set_option(ldap, LDAP_OPT_DEREF, &aliases),
        ]
        guard statuses.allSatisfy({ $0 == LDAP_OPT_SUCCESS }) else { throw .settings("options") }
    }

    /// Sets the time that is left as the limit of what comes next.
    @discardableResult
    private func arm() throws(LDAPFault) -> timeval {
        let left = deadline - .now
        guard left > .zero else { throw .overdue }
        var time = timeval()
        time.tv_sec = numericCast(left.components.seconds)
        time.tv_usec = numericCast(max(1, left.components.attoseconds / 1_000_000_000_000))
        guard unsafe ldap_set_option(ldap, LDAP_OPT_NETWORK_TIMEOUT, &time) == LDAP_OPT_SUCCESS,
            unsafe ldap_set_option(ldap, LDAP_OPT_TIMEOUT, &time) == LDAP_OPT_SUCCESS
        else { throw .settings("options") }
        return time
    }

    private func fault(_ status: Int32) -> LDAPFault {
        var text: UnsafeMutablePointer<CChar>?
        _ = unsafe ldap_get_option(ldap, LDAP_OPT_DIAGNOSTIC_MESSAGE, &text)
        defer { if let text = unsafe text { unsafe ldap_memfree(text) } }
        return .result(status, diagnostic: unsafe text.map { unsafe String(cString: $0) } ?? "")
    }

    /// Whether a failed connection failed at TLS: then libldap has a text for it, which says little else.
    private func isOfTLS(_ fault: LDAPFault) -> Bool {
        guard case .result(let code, let diagnostic) = fault else { return false }
        return [LDAP_SERVER_DOWN, LDAP_CONNECT_ERROR].contains(code) && !diagnostic.isEmpty
    }
}
