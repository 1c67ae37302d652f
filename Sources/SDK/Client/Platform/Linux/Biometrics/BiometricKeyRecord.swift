#if os(Linux)
    internal import KeyturnBase

    /// A key or a secret as this machine keeps it: in clear for programs that may read the store, or wrapped by the
    /// TPM.
    struct BiometricKeyRecord: Hashable, Sendable {
        /// How it is kept.
        enum Form: String, Hashable, Sendable {
            /// As it is.
            case software
            /// Of use to one TPM alone.
            case tpm
        }

        let form: Form
        /// The fingers that were enrolled, if others end it; `nil`: they do not.
        let fingers: [String]?
        /// A key's point: x, then y. Empty for a secret.
        let publicKey: [UInt8]
        /// The key or the secret, or what the TPM made of it.
        let content: [UInt8]
        /// The other half of what the TPM made.
        let wrapper: [UInt8]

        /// Whether `now` are the fingers that it was made for.
        func isValid(for now: [String]) -> Bool { fingers == nil || fingers == now }
    }

    extension BiometricKeyRecord {
        private static let version: Int64 = 1
        /// Tells it from a session that happens to have the same name.
        private static let generation = Generation(signIn: "touch", number: 1)

        /// Where it lies in the store.
        static func place(_ name: String) -> String { "touch/" + name }

        /// The form for the store.
        var stored: StoredRecord {
            let contents = JSONWriter.object { writer in
                writer.member("version", Self.version)
                writer.member("form", form.rawValue)
                if let fingers { writer.member("fingers", fingers) }
                writer.member("public_key", Base64URL.encode(publicKey))
                writer.member("content", Base64URL.encode(content))
                writer.member("wrapper", Base64URL.encode(wrapper))
            }
            return StoredRecord(generation: Self.generation, contents: contents)
        }

        /// Reads what ``stored`` wrote.
        ///
        /// - Throws: `store.unavailable` for anything else.
        init(_ record: StoredRecord) throws(AuthError) {
            guard record.generation == Self.generation, let json = try? JSONValue(parsing: record.contents),
                json["version"]?.integerValue == Self.version,
                let form = json["form"]?.stringValue.flatMap(Form.init(rawValue:)),
                let publicKey = json["public_key"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let content = json["content"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let wrapper = json["wrapper"]?.stringValue.flatMap({ Base64URL.decode($0) })
            else { throw AuthError(.storeUnavailable, "what is kept for a touch is damaged, or of a later release") }
            self.init(
                form: form, fingers: json["fingers"]?.stringArrayValue, publicKey: publicKey, content: content,
                wrapper: wrapper)
        }
    }
#endif
