internal import HTTPTypes
internal import Model
internal import OAuth

extension Request {
    /// What a DPoP proof must name: this request, at the address that clients know.
    func proofPresentation(_ project: Project, _ path: String) -> DPoPPresentation {
        DPoPPresentation(proofs: headers[values: .dpop], method: method.rawValue, url: project.base + path)
    }
}
