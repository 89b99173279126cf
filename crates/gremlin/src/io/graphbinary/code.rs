//! Type codes.

/// Declares the codes with the names that errors give them.
macro_rules! codes {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        $(pub(super) const $name: u8 = $code;)*

        /// The name of the type with this code.
        pub(super) fn name(code: u8) -> Option<&'static str> {
            match code {
                $($code => Some($text),)*
                _ => None,
            }
        }
    };
}

codes! {
    CUSTOM = 0x00, "Custom";
    INT = 0x01, "Int";
    LONG = 0x02, "Long";
    STRING = 0x03, "String";
    DATE = 0x04, "Date";
    TIMESTAMP = 0x05, "Timestamp";
    CLASS = 0x06, "Class";
    DOUBLE = 0x07, "Double";
    FLOAT = 0x08, "Float";
    LIST = 0x09, "List";
    MAP = 0x0a, "Map";
    SET = 0x0b, "Set";
    UUID = 0x0c, "UUID";
    EDGE = 0x0d, "Edge";
    PATH = 0x0e, "Path";
    PROPERTY = 0x0f, "Property";
    GRAPH = 0x10, "Graph";
    VERTEX = 0x11, "Vertex";
    VERTEX_PROPERTY = 0x12, "VertexProperty";
    BARRIER = 0x13, "Barrier";
    BINDING = 0x14, "Binding";
    BYTECODE = 0x15, "Bytecode";
    CARDINALITY = 0x16, "Cardinality";
    COLUMN = 0x17, "Column";
    DIRECTION = 0x18, "Direction";
    OPERATOR = 0x19, "Operator";
    ORDER = 0x1a, "Order";
    PICK = 0x1b, "Pick";
    POP = 0x1c, "Pop";
    LAMBDA = 0x1d, "Lambda";
    P = 0x1e, "P";
    SCOPE = 0x1f, "Scope";
    T = 0x20, "T";
    TRAVERSER = 0x21, "Traverser";
    BIG_DECIMAL = 0x22, "BigDecimal";
    BIG_INTEGER = 0x23, "BigInteger";
    BYTE = 0x24, "Byte";
    BYTE_BUFFER = 0x25, "ByteBuffer";
    SHORT = 0x26, "Short";
    BOOLEAN = 0x27, "Boolean";
    TEXT_P = 0x28, "TextP";
    TRAVERSAL_STRATEGY = 0x29, "TraversalStrategy";
    BULK_SET = 0x2a, "BulkSet";
    TREE = 0x2b, "Tree";
    METRICS = 0x2c, "Metrics";
    TRAVERSAL_METRICS = 0x2d, "TraversalMetrics";
    MERGE = 0x2e, "Merge";
    DT = 0x2f, "DT";
    G_TYPE = 0x30, "GType";
    CHAR = 0x80, "Char";
    DURATION = 0x81, "Duration";
    INET_ADDRESS = 0x82, "InetAddress";
    INSTANT = 0x83, "Instant";
    LOCAL_DATE = 0x84, "LocalDate";
    LOCAL_DATE_TIME = 0x85, "LocalDateTime";
    LOCAL_TIME = 0x86, "LocalTime";
    MONTH_DAY = 0x87, "MonthDay";
    OFFSET_DATE_TIME = 0x88, "OffsetDateTime";
    OFFSET_TIME = 0x89, "OffsetTime";
    PERIOD = 0x8a, "Period";
    YEAR = 0x8b, "Year";
    YEAR_MONTH = 0x8c, "YearMonth";
    ZONED_DATE_TIME = 0x8d, "ZonedDateTime";
    ZONE_OFFSET = 0x8e, "ZoneOffset";
    UNSPECIFIED_NULL = 0xfe, "null";
}
