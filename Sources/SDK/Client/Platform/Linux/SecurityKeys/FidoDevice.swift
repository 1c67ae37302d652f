#if os(Linux)
    internal import KeyturnBase
    internal import KeyturnWebAuthn

    /// A key that libfido2 has opened.
    // Each call is awaited before the next one is made; `cancel` alone comes from elsewhere, and takes the lock.
    @safe final class FidoDevice: SecurityKeyPort, @unchecked Sendable {
        let facts: SecurityKeyFacts
        private let library: FidoLibrary
        private let device: FidoLibrary.Object
        private let isOpen = Locked(true)

        init(_ library: FidoLibrary, path: String, functions: FidoFunctions?) throws(SecurityKeyStatus) {
            guard let device = unsafe library.deviceNew() else { throw .internal }
            var status: Int32 = 0
            if var functions { status = unsafe library.deviceSetFunctions(device, &functions) }
            if status == 0 { status = unsafe library.deviceOpen(device, path) }
            guard status == 0 else {
                var device: FidoLibrary.Object? = unsafe device
                unsafe library.deviceFree(&device)
                throw SecurityKeyStatus(rawValue: status)
            }
            _ = unsafe library.deviceSetTimeout(device, Limits.securityKeyMilliseconds)
            self.library = library
            unsafe self.device = device
            facts = unsafe Self.facts(library, device)
        }

        deinit {
            close()
        }

        func close() {
            let wasOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            guard wasOpen else { return }
            var device: FidoLibrary.Object? = unsafe device
            _ = unsafe library.deviceClose(device)
            unsafe library.deviceFree(&device)
        }

        func cancel() {
            isOpen.withLock { isOpen in
                if isOpen { _ = unsafe library.deviceCancel(device) }
            }
        }

        func pinTriesLeft() -> Int? {
            var count: Int32 = 0
            return unsafe library.deviceRetries(device, &count) == 0 ? Int(count) : nil
        }

        func beginTouch() throws(SecurityKeyStatus) {
            try Self.check(unsafe library.deviceTouchBegin(device))
        }

        func wasTouched(withinMilliseconds milliseconds: Int32) throws(SecurityKeyStatus) -> Bool {
            var touched: Int32 = 0
            try Self.check(unsafe library.deviceTouchStatus(device, &touched, milliseconds))
            return touched != 0
        }

        func makeCredential(_ request: SecurityKeyCreation) throws(SecurityKeyStatus) -> SecurityKeyCredential {
            var credential = unsafe library.credentialNew()
            defer { unsafe library.credentialFree(&credential) }
            let algorithm = Int32(clamping: request.algorithm)
            // What the library does not know, it refuses as an argument.
            guard unsafe library.credentialSetType(credential, algorithm) == 0 else { throw .unsupportedAlgorithm }
            try Self.check(
                unsafe library.credentialSetHash(credential, request.clientDataHash, request.clientDataHash.count))
            try Self.check(unsafe library.credentialSetParty(credential, request.rpID, request.rpName))
            try Self.check(
                unsafe library.credentialSetUser(
                    credential, request.userID, request.userID.count, request.userName, request.displayName, nil))
            if request.isDiscoverable { try Self.check(unsafe library.credentialSetDiscoverable(credential, Self.yes)) }
            if request.verifiesByItself {
                try Self.check(unsafe library.credentialSetVerification(credential, Self.yes))
            }
            for id in request.excluded { try Self.check(unsafe library.credentialExclude(credential, id, id.count)) }
            try Self.check(unsafe library.deviceMake(device, credential, request.pin?.exposed()))
            guard let format = unsafe library.credentialFormat(credential) else { throw .receive }
            return SecurityKeyCredential(
                id: unsafe Self.bytes(library.credentialID(credential), library.credentialIDCount(credential)),
                format: unsafe String(cString: format),
                statement: unsafe Self.bytes(
                    library.credentialStatement(credential), library.credentialStatementCount(credential)),
                authenticatorData: unsafe Self.bytes(
                    library.credentialData(credential), library.credentialDataCount(credential)))
        }

        func assertions(_ request: SecurityKeyRequest) throws(SecurityKeyStatus) -> [SecurityKeyAssertion] {
            var assertion = unsafe library.assertionNew()
            defer { unsafe library.assertionFree(&assertion) }
            try Self.check(unsafe library.assertionSetParty(assertion, request.rpID))
            try Self.check(
                unsafe library.assertionSetHash(assertion, request.clientDataHash, request.clientDataHash.count))
            if request.verifiesByItself {
                try Self.check(unsafe library.assertionSetVerification(assertion, Self.yes))
            }
            for id in request.allowed { try Self.check(unsafe library.assertionAllow(assertion, id, id.count)) }
            try Self.check(unsafe library.deviceAssert(device, assertion, request.pin?.exposed()))
            let count = unsafe min(library.assertionCount(assertion), Limits.securityKeyAccountsMax)
            var result: [SecurityKeyAssertion] = []
            for index in 0..<count { result.append(try unsafe self.assertion(assertion, index)) }
            return result
        }

        private func assertion(
            _ assertion: FidoLibrary.Object?, _ index: Int
        ) throws(SecurityKeyStatus) -> SecurityKeyAssertion {
            let wrapped = unsafe Self.bytes(
                library.assertionData(assertion, index), library.assertionDataCount(assertion, index))
            // As it came: a byte string of CBOR.
            guard let data = (try? CBORValue(decoding: wrapped))?.bytesValue else { throw .receive }
            let id = unsafe Self.bytes(
                library.assertionID(assertion, index), library.assertionIDCount(assertion, index))
            let user = unsafe Self.bytes(
                library.assertionUserID(assertion, index), library.assertionUserIDCount(assertion, index))
            return SecurityKeyAssertion(
                id: id.isEmpty ? nil : id, authenticatorData: data,
                signature: unsafe Self.bytes(
                    library.assertionSignature(assertion, index), library.assertionSignatureCount(assertion, index)),
                userHandle: user.isEmpty ? nil : user,
                userName: unsafe Self.text(library.assertionUserName(assertion, index)),
                displayName: unsafe Self.text(library.assertionDisplayName(assertion, index)))
        }

        /// `FIDO_OPT_TRUE`.
        private static let yes: Int32 = 2

        private static func check(_ status: Int32) throws(SecurityKeyStatus) {
            guard status == 0 else { throw SecurityKeyStatus(rawValue: status) }
        }

        private static func bytes(_ pointer: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
            guard let pointer = unsafe pointer else { return [] }
            return unsafe Array(UnsafeBufferPointer(start: pointer, count: count))
        }

        private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            guard let pointer = unsafe pointer else { return nil }
            let text = unsafe String(cString: pointer)
            return text.isEmpty ? nil : text
        }

        private static func facts(_ library: FidoLibrary, _ device: FidoLibrary.Object) -> SecurityKeyFacts {
            var facts = SecurityKeyFacts(
                isFIDO2: unsafe library.deviceIsFIDO2(device), hasPIN: unsafe library.deviceHasPIN(device),
                hasUserVerification: unsafe library.deviceHasUV(device), keepsDiscoverable: false)
            guard facts.isFIDO2 else { return facts }
            var info = unsafe library.factsNew()
            defer { unsafe library.factsFree(&info) }
            guard unsafe library.deviceInfo(device, info) == 0 else { return facts }
            if let names = unsafe library.factsNames(info), let values = unsafe library.factsValues(info) {
                for index in 0..<(unsafe library.factsCount(info)) where unsafe text(names[index]) == "rk" {
                    facts.keepsDiscoverable = unsafe values[index]
                }
            }
            if let names = unsafe library.factsTransports(info) {
                let count = unsafe library.factsTransportCount(info)
                let transports = (0..<count).compactMap { unsafe text(names[$0]) }
                if !transports.isEmpty { facts.transports = transports }
            }
            return facts
        }
    }
#endif
