package import KeyturnBase
internal import Model

/// What the server says about itself (RFC 7643 §5 to §7).
package struct SCIMDocuments: Sendable {
    /// The address of the interface, without a slash at the end.
    package let base: String

    package init(base: String) {
        self.base = base
    }

    package var serviceProviderConfig: JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": ["supported": true],
            "bulk": [
                "supported": true, "maxOperations": .integer(Int64(Limits.scimBulkOperationsMax)),
                "maxPayloadSize": .integer(Int64(Limits.scimBodyBytesMax)),
            ],
            "filter": ["supported": true, "maxResults": .integer(Int64(Limits.scimPageMax))],
            "changePassword": ["supported": false], "sort": ["supported": true], "etag": ["supported": true],
            "pagination": [
                "cursor": true, "index": true, "defaultPaginationMethod": "index",
                "defaultPageSize": .integer(Int64(Limits.scimPageDefault)),
                "maxPageSize": .integer(Int64(Limits.scimPageMax)),
                "cursorTimeout": .integer(Limits.scimCursorSeconds),
            ],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "Bearer token", "primary": true,
                    "description": "A token that the server's operator makes for one tenant.",
                    "specUri": "https://www.rfc-editor.org/rfc/rfc6750",
                ]
            ],
            "meta": [
                "resourceType": "ServiceProviderConfig", "location": .string(base + "/ServiceProviderConfig"),
            ],
        ]
    }

    package var resourceTypes: [JSONValue] { [resourceType(.user), resourceType(.group)] }

    private func resourceType(_ kind: SCIMRecord.Kind) -> JSONValue {
        var members: [String: JSONValue] = [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], "id": .string(kind.rawValue),
            "name": .string(kind.rawValue), "endpoint": .string("/\(kind.rawValue)s"),
            "description": .string(kind == .user ? "Users of the tenant" : "Groups of the tenant"),
            "schema": .string(SCIMSchemas.core(kind)),
            "meta": [
                "resourceType": "ResourceType", "location": .string("\(base)/ResourceTypes/\(kind.rawValue)"),
            ],
        ]
        if kind == .user {
            members["schemaExtensions"] = [["schema": .string(SCIMSchemas.enterprise), "required": false]]
        }
        return .object(members)
    }

    package var schemas: [JSONValue] {
        [
            schema(SCIMSchemas.user, "User", SCIMSchemas.userAttributes),
            schema(SCIMSchemas.group, "Group", SCIMSchemas.groupAttributes),
            schema(SCIMSchemas.enterprise, "EnterpriseUser", SCIMSchemas.enterpriseAttributes),
        ]
    }

    private func schema(_ id: String, _ name: String, _ attributes: [SCIMAttribute]) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .string(id), "name": .string(name),
            "description": .string(name), "attributes": .array(attributes.map(\.json)),
            "meta": ["resourceType": "Schema", "location": .string("\(base)/Schemas/\(id)")],
        ]
    }

    /// The list of some documents (RFC 7644 §3.4.2).
    package static func list(_ resources: [JSONValue]) -> JSONValue {
        [
            "schemas": [.string(SCIMSchemas.listResponse)], "totalResults": .integer(Int64(resources.count)),
            "startIndex": 1, "itemsPerPage": .integer(Int64(resources.count)), "Resources": .array(resources),
        ]
    }
}
