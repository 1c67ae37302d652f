internal import CPKCS11
internal import Synchronization

/// The modules of this process, each loaded and initialised once, by one thread.
enum PKCS11Modules {
    /// By path, as numbers: pointers cannot go from thread to thread.
    private static let loaded = Mutex<[String: UInt]>([:])

    /// The address of a module's list of functions.
    static func load(_ path: String) throws(PKCS11Problem) -> UInt {
        try loaded.withLock { (modules) throws(PKCS11Problem) in
            if let known = modules[path] { return known }
            var words: UnsafePointer<CChar>?
            var code = CK_RV(CKR_OK)
            guard let module = unsafe keyturn_p11_load(path, &words, &code) else {
                guard let words = unsafe words else { throw PKCS11Problem(code, label: path) }
                throw .module(unsafe String(cString: words))
            }
            let address = UInt(bitPattern: module)
            modules[path] = address
            return address
        }
    }
}
