internal import CPKCS11

/// One session with a token, for one thread at a time. Every method throws ``PKCS11Problem``.
@safe struct PKCS11Session {
    private let module: keyturn_p11
    let handle: CK_SESSION_HANDLE
    private let label: String

    /// Opens a session that may make keys, and signs in.
    init(_ module: keyturn_p11, slot: CK_SLOT_ID, pin: [UInt8], label: String) throws(PKCS11Problem) {
        var handle: CK_SESSION_HANDLE = 0
        let code = unsafe keyturn_p11_open(module, slot, pin, CK_ULONG(pin.count), &handle)
        guard code == CKR_OK else { throw PKCS11Problem(code, label: label) }
        unsafe self.init(module, handle, label: label)
    }

    /// A session that was opened before.
    init(_ module: keyturn_p11, _ handle: CK_SESSION_HANDLE, label: String) {
        unsafe self.module = module
        self.handle = handle
        self.label = label
    }

    /// Makes a key pair that signs and stays in the token.
    ///
    /// - Parameter rsaBits: `nil`: on P-256.
    func generate(rsaBits: CK_ULONG?, name: String, id: [UInt8]) throws(PKCS11Problem) {
        try check(unsafe keyturn_p11_generate(module, handle, rsaBits ?? 0, name, id, CK_ULONG(id.count)))
    }

    func find(_ kind: CK_OBJECT_CLASS, _ id: [UInt8]) throws(PKCS11Problem) -> CK_OBJECT_HANDLE {
        var object: CK_OBJECT_HANDLE = 0
        try check(unsafe keyturn_p11_find(module, handle, kind, id, CK_ULONG(id.count), &object))
        return object
    }

    func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(PKCS11Problem) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: 1_024)
        var length = CK_ULONG(value.count)
        try check(unsafe keyturn_p11_attribute(module, handle, object, type, &value, &length))
        guard length <= value.count else { throw .malformed }
        return Array(value.prefix(Int(length)))
    }

    func signature(
        of data: [UInt8], by key: CK_OBJECT_HANDLE, _ mechanism: CK_MECHANISM_TYPE
    ) throws(PKCS11Problem) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 512)
        var length = CK_ULONG(signature.count)
        try check(
            unsafe keyturn_p11_sign(
                module, handle, key, mechanism, data, CK_ULONG(data.count), &signature, &length))
        guard length <= signature.count else { throw .malformed }
        return Array(signature.prefix(Int(length)))
    }

    func destroy(_ object: CK_OBJECT_HANDLE) throws(PKCS11Problem) {
        try check(unsafe keyturn_p11_destroy(module, handle, object))
    }

    func close() {
        unsafe keyturn_p11_close(module, handle)
    }

    private func check(_ code: CK_RV) throws(PKCS11Problem) {
        guard code == CKR_OK else { throw PKCS11Problem(code, label: label) }
    }
}
