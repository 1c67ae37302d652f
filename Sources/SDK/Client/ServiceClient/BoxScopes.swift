public import KeyturnWire

/// What a token of Box can be restricted to, for ``ServiceClient/exchange(scope:resource:sharedLink:)``:
/// `[.itemPreview, .itemDownload]`. Names that are missing here are written as text.
extension Scope.Name {
    /// Change annotations.
    public static let annotationEdit = Self(rawValue: "annotation_edit")
    /// See every user's annotations.
    public static let annotationViewAll = Self(rawValue: "annotation_view_all")
    /// See the user's own annotations.
    public static let annotationViewSelf = Self(rawValue: "annotation_view_self")
    /// What Box's Content Explorer needs.
    public static let baseExplorer = Self(rawValue: "base_explorer")
    /// What Box's Content Picker needs.
    public static let basePicker = Self(rawValue: "base_picker")
    /// What Box's Content Preview needs.
    public static let basePreview = Self(rawValue: "base_preview")
    /// What Box's Content Sidebar needs.
    public static let baseSidebar = Self(rawValue: "base_sidebar")
    /// What Box's Content Uploader needs.
    public static let baseUpload = Self(rawValue: "base_upload")
    /// Delete files and folders.
    public static let itemDelete = Self(rawValue: "item_delete")
    /// Download files.
    public static let itemDownload = Self(rawValue: "item_download")
    /// Preview files.
    public static let itemPreview = Self(rawValue: "item_preview")
    /// Rename files and folders.
    public static let itemRename = Self(rawValue: "item_rename")
    /// Make shared links.
    public static let itemShare = Self(rawValue: "item_share")
    /// Upload files.
    public static let itemUpload = Self(rawValue: "item_upload")
}
