extension CredentialRecord {
    /// How requests name the credential.
    public var descriptor: CredentialDescriptor {
        CredentialDescriptor(id: id, transports: transports)
    }
}
